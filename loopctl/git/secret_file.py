"""Which untracked files look like secrets, by name alone.

Invariant: a file is judged by its own name and its parents' names, never by its content: the
content of a possible secret is not read. A file that the base commit tracks is not asked about.
"""

from fnmatch import fnmatchcase

_FILES = (
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
    ".dockercfg",
    ".vault-token",
    ".terraformrc",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "*.tfstate",
    "*.tfvars",
    "credentials",
    "credentials.json",
    "client_secret*.json",
    "service-account*.json",
    "service_account*.json",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.toml",
)
_FOLDERS = frozenset({".ssh", ".aws", ".gnupg", ".azure", ".kube"})
# Made to be shared: templates of secrets and public halves of keys.
_HARMLESS = ("*.example", "*.sample", "*.template", "*.dist", "*.pub", "example.env", "sample.env")


def looks_secret(path: str) -> bool:
    """Whether the file at this path should stay out of snapshots unless it is tracked."""
    *folders, name = path.lower().split("/")
    if any(fnmatchcase(name, pattern) for pattern in _HARMLESS):
        return False
    return any(folder in _FOLDERS for folder in folders) or any(
        fnmatchcase(name, pattern) for pattern in _FILES
    )

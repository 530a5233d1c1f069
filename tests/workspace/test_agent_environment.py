from loopctl.workspace.agent_environment import agent_environment


def test_an_agent_learns_its_loop_and_nothing_of_what_encloses_it():
    user = {
        "PATH": "/bin",
        "API_KEY": "k",
        "GIT_DIR": "/x",
        "LOOPCTL_ROUND": "9",
        "CLAUDECODE": "1",
    }
    made = agent_environment(user, "demo", 3)
    assert made["LOOPCTL_LOOP"] == "demo"
    assert made["LOOPCTL_ROUND"] == "3"
    assert made["API_KEY"] == "k"
    assert not {"GIT_DIR", "CLAUDECODE"} & made.keys()

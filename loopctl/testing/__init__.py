"""What tests of loopctl and of its plug-ins are made with; nothing here runs in production."""

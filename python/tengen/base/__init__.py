"""Ground that everything stands on: writing files so that nothing is lost, and what comes with tengen."""

"""What a log says about itself: residuals, correlation, calibration, telling features, twins."""

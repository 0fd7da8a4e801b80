"""What a biped is made to do; each answers with a ``BipedMotion``."""

"""The biped module: BIP 2000, its leg, its posture and its scenarios."""

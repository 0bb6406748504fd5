"""Teachers: a pretrained encoder under the same oracles. The only folder that needs PyTorch."""

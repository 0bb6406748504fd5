"""The compiled core: configurations, gold trees and what a transition system is. Knows no strings."""

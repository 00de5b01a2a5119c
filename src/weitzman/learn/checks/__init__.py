"""The contracts of learners and policies, as checks that anyone can run on their own."""

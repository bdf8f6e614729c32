"""What programs really send: a server that records their requests, and these as the same messages as a preview."""

"""The zygote: a warm process that bots are forked from."""

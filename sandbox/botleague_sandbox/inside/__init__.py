"""The bot process's side: what runs next to the bot's code."""

"""Accounts, logins and personal data of a server's users."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague_server.accounts.account_decisions import Registration, register
    from botleague_server.accounts.account_service import DAY_S, refusal_of_link
    from botleague_server.accounts.first_run import FirstRun, first_link, is_empty
    from botleague_server.accounts.login_service import LoginService
    from botleague_server.accounts.login_views import LOGIN_ENDPOINTS, LoginViews, Page

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)

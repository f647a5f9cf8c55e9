"""Accounts, logins and personal data of a server's users."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague_server.accounts.account_service import DAY_S
    from botleague_server.accounts.login_service import LoginService
    from botleague_server.accounts.login_views import LOGIN_ENDPOINTS, LoginViews, Page

__getattr__ = late(__name__)

"""The pages of one iteration over a list."""

from collections.abc import Iterable, Mapping
from typing import Any, Generic

from .lists import MAX_PAGE_SIZE, List, Query, Row


class PageWalk(Generic[Row]):
    """Says which page to read next, and which of its rows are new.

    A row that stays in the list during an iteration is returned exactly once, even while rows are
    added and removed. Each page begins with the last row of the page before: if that row changed,
    rows in front of it were removed, and the iteration goes back.
    """

    def __init__(self, source: List[Row]) -> None:
        self._list = source
        self._seen: set[object] = set()
        self._offset = 0
        #: Of the last page.
        self.total = 0
        self.is_done = False

    def resume(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Counts rows of an earlier iteration as returned, and returns their number."""
        self._seen.update(row[self._list.key or ""] for row in rows)
        self._offset = len(self._seen)
        return self._offset

    @property
    def _overlap(self) -> int:
        return 1 if self._offset > 0 and self._list.key is not None else 0

    def query(self) -> Query:
        """Returns the parameters of the next page."""
        limit = min(self._list.page_size + self._overlap, MAX_PAGE_SIZE)
        return {**self._list.query, "limit": limit, "offset": self._offset - self._overlap}

    def accept(self, body: Mapping[str, Any]) -> list[Row]:
        """Returns the rows of a page that were not returned before."""
        total, rows = body["total_count"], body[self._list.array]
        return self._without_ids(total, rows) if self._list.key is None else self._by_id(self._list.key, total, rows)

    def _by_id(self, key: str, total: int, rows: list[Row]) -> list[Row]:
        overlap = self._overlap
        self.total = total
        if overlap and total > 0 and (not rows or rows[0][key] not in self._seen):
            self._offset = max(0, min(self._offset, total) - self._list.page_size)
            return []
        unseen = [row for row in rows if row[key] not in self._seen]
        self._seen.update(row[key] for row in unseen)
        self._offset += len(rows) - overlap
        self.is_done = self._offset >= total or len(rows) == overlap
        return unseen

    def _without_ids(self, total: int, rows: list[Row]) -> list[Row]:
        # Removed rows shift the rest forward: go back by their number.
        removed = max(0, self.total - total)
        self._offset = max(0, self._offset - removed) if removed else self._offset + self._list.page_size
        self.is_done = not removed and self._offset >= total
        self.total = total
        return rows

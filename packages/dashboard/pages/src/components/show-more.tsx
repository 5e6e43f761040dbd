interface ShowMoreProps {
  readonly from: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  readonly label?: string;
}

/** The button below a list that has more pages. */
export function ShowMore({
  from: { hasNextPage, isFetchingNextPage, fetchNextPage },
  label = 'Show more',
}: ShowMoreProps) {
  return hasNextPage ? (
    <div class="pager">
      <button type="button" class="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {isFetchingNextPage ? 'Loading …' : label}
      </button>
    </div>
  ) : null;
}

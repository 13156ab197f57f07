import type { ReactNode } from 'react';
import type { Pages } from '../api.ts';
import { Button } from './button.tsx';
import { Card, Cards } from './card.tsx';
import { DataTable, type TableProps } from './data-table.tsx';
import { Empty } from './empty.tsx';
import { Failure } from './failure.tsx';
import { AsOf } from './finality.tsx';
import { Loading, type PartSize } from './loading.tsx';
import { PageHead } from './page-head.tsx';

/** Lines of a collection that is loading. */
const LINES = 12;

interface PagedProps<T> {
  readonly pages: Pages<T>;
  /** Name of the collection, for "Loading …" and for what could not be read: `Orders`. */
  readonly what: string;
  /** Its usual height, if it is short. */
  readonly size?: PartSize;
  /** In place of a collection without entries. */
  readonly empty: ReactNode;
  readonly children: (items: readonly T[]) => ReactNode;
}

/** A collection: its entries or its state, and a button for the next page. */
export function Paged<T>({ pages, what, size, empty, children }: PagedProps<T>) {
  const { items, query } = pages;
  const { isPending, error, hasNextPage, isFetchingNextPage } = query;
  if (isPending) {
    return <Loading what={what} {...(size ? { size } : { lines: LINES })} />;
  }
  if (error !== null && items.length === 0) {
    return <Failure error={error} what={what} onRetry={() => void query.refetch()} />;
  }
  if (items.length === 0) return <Empty>{empty}</Empty>;
  return (
    <div className="stack">
      {children(items)}
      {error !== null && <Failure error={error} what="The next page" />}
      {hasNextPage && (
        <p>
          <Button disabled={isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {isFetchingNextPage ? 'Loading …' : 'Load more'}
          </Button>
        </p>
      )}
    </div>
  );
}

type PagedTableProps<T> = Omit<TableProps<T>, 'rows'> &
  Pick<PagedProps<T>, 'pages' | 'size'> & {
    /** Text for a table without rows. */
    readonly empty: ReactNode;
  };

/** A collection as a table. */
export function PagedTable<T>({ pages, size, empty, ...table }: PagedTableProps<T>) {
  return (
    <Paged pages={pages} what={table.caption} empty={empty} {...(size && { size })}>
      {(rows) => <DataTable {...table} rows={rows} />}
    </Paged>
  );
}

interface ListCardProps<T> extends Omit<PagedTableProps<T>, 'caption'> {
  readonly title: string;
  /** Caption of the table; default the title. */
  readonly caption?: string;
  /** Where links to it lead. */
  readonly id?: string;
  /** Next to the title; default the block that the list is as of, if that is asked for. */
  readonly aside?: ReactNode;
  readonly asOf?: boolean;
  /** Filters of the list, and what is to be said before it. */
  readonly children?: ReactNode;
}

/** A card with a collection as a table. */
export function ListCard<T>(props: ListCardProps<T>) {
  const { title, caption = title, id, asOf = false, children, ...table } = props;
  const { aside = asOf && <AsOf meta={table.pages.meta} /> } = props;
  return (
    <Card title={title} id={id} aside={aside}>
      <div className="stack">
        {children}
        <PagedTable {...table} caption={caption} />
      </div>
    </Card>
  );
}

interface ListPageProps<T> extends ListCardProps<T> {
  /** Title of the page; that of the card is the list's. */
  readonly name: string;
  /** Beneath it: what the list has. */
  readonly intro: ReactNode;
}

/** A page with one list. */
export function ListPage<T>({ name, intro, ...list }: ListPageProps<T>) {
  return (
    <>
      <PageHead title={name}>
        <p>{intro}</p>
      </PageHead>
      <Cards>
        <ListCard asOf {...list} />
      </Cards>
    </>
  );
}

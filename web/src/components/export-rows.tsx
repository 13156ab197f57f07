import { useMutation } from '@tanstack/react-query';
import { countOf } from '../format.ts';
import { type CsvColumn, csvOf, saveCsv } from '../save-csv.ts';
import { Button } from './button.tsx';
import styles from './export-rows.module.css';
import { Issue } from './issue.tsx';

/** Rows of a request, and of a file: more would take the browser too long, and the API too many requests. */
const PAGE = 100;
const MAX_ROWS = 2_000;

interface ExportRowsProps<T> {
  /** Name of the list, which begins the name of the file: `sales`. */
  readonly list: string;
  readonly columns: readonly CsvColumn<T>[];
  /** Reads a page of the list with the filters and the order that are shown. */
  readonly load: (page: {
    readonly cursor: string | undefined;
    readonly limit: number;
  }) => Promise<{
    readonly data: { readonly items: readonly T[]; readonly nextCursor: string | null };
  }>;
}

/** A button that saves the rows of a list, as they are filtered and sorted, as a CSV file. */
export function ExportRows<T>({ list, columns, load }: ExportRowsProps<T>) {
  const save = useMutation({
    mutationFn: async () => {
      const { rows, more } = await readRows(load);
      const name = `${list}-${new Date().toISOString().slice(0, 10)}.csv`;
      saveCsv(name, csvOf(columns, rows));
      return { name, rows: rows.length, more };
    },
  });
  const { data } = save;
  return (
    <div className={styles.export}>
      <Button disabled={save.isPending} onClick={() => save.mutate()}>
        {save.isPending ? 'Saving …' : 'Download as CSV'}
      </Button>
      <span className="soft" role="status">
        {data &&
          `${data.name} is saved, with ${data.more ? 'the first ' : ''}${countOf(data.rows, 'row')}.`}
      </span>
      <Issue of={save.error} />
    </div>
  );
}

async function readRows<T>(
  load: ExportRowsProps<T>['load'],
): Promise<{ readonly rows: readonly T[]; readonly more: boolean }> {
  const rows: T[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await load({ cursor, limit: PAGE });
    rows.push(...data.items);
    cursor = data.nextCursor ?? undefined;
  } while (cursor !== undefined && rows.length < MAX_ROWS);
  return { rows, more: cursor !== undefined };
}

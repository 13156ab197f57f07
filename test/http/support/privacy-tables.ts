import { retention } from '../../../engine/core/retention.ts';
import { personalTables, serviceTables } from '../../../engine/db/tables/commerce.ts';

/** The table of docs/reference/privacy.md about rows of accounts. */
export function personalRowsTable(): string {
  const rows = personalTables.map(
    ([name, { personal, onDeletion, why = '' }]) =>
      `| \`${name}\` | ${personal.replaceAll(' ', ', ')} | ${onDeletion} | ${why} |`,
  );
  return [
    '| table | what is stored about the account | on deletion | what stays, and why |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** The table of docs/reference/privacy.md about all other rows. */
export function otherRowsTable(): string {
  const rows = serviceTables.map(([name, { what }]) => `| \`${name}\` | ${what} |`);
  return ['| table | what it is |', '| --- | --- |', ...rows].join('\n');
}

/** The table of docs/reference/privacy.md about what is deleted by age. */
export function retentionTable(): string {
  const rows = Object.entries(retention).map(([task, { rows: what, days, since }]) => {
    const when =
      days === 0 ? `when ${since}` : `${days} ${days === 1 ? 'day' : 'days'} after ${since}`;
    return `| ${what} | ${when} | \`${task}\` |`;
  });
  return ['| what | deleted | task |', '| --- | --- | --- |', ...rows].join('\n');
}

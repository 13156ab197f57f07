import { retention } from '../../../engine/core/retention.ts';
import {
  otherTables,
  type PersonalTable,
  personalTables,
} from '../../../engine/db/rows/stored-data.ts';

/** The table of docs/reference/privacy.md about rows of accounts. */
export function personalRowsTable(): string {
  const rows = Object.entries<PersonalTable>(personalTables).map(
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
  const rows = Object.entries(otherTables).map(([name, { why }]) => `| \`${name}\` | ${why} |`);
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

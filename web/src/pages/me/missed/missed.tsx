import { MINE } from '../../../account/session.ts';
import { api, usePages } from '../../../api.ts';
import * as column from '../../../components/columns.tsx';
import { ListCard } from '../../../components/list.tsx';
import { FilterBar, FilterSelect } from '../../../filters/filter-bar.tsx';
import { optionsOf, useFilters } from '../../../filters/use-filters.ts';
import styles from '../me.module.css';
import { missedReasons } from './missed-words.ts';

const reasons = optionsOf('All', missedReasons, ({ name }) => name);

/** Rewards that a limit cost the account, by sale, with the reason. */
export function Missed() {
  const filters = useFilters('reason');
  const pages = usePages([MINE, 'earnings.missed'], api.earnings.missed, {
    reason: filters.chosen('reason', reasons),
    limit: 20,
  });
  return (
    <ListCard
      title="Missed rewards"
      pages={pages}
      empty="You missed nothing: every reward was paid in full."
      rowKey={({ saleId, level, reason }) => `${saleId} ${level} ${reason}`}
      columns={[
        column.sale,
        { name: 'Your level', numeric: true, cell: ({ level }) => level },
        { name: 'Reason', cell: ({ reason }) => missedReasons[reason].name },
        column.amount('Missed', 'amount'),
        column.time('Sold', 'recordedAt'),
      ]}
    >
      <p>What you would have earned if a limit had not made a reward smaller.</p>
      <dl className={styles.tokens}>
        {Object.values(missedReasons).map(({ name, text }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <FilterBar filters={filters}>
        <FilterSelect filters={filters} name="reason" label="Reason" options={reasons} wide />
      </FilterBar>
    </ListCard>
  );
}

import { issueAt } from '../form-issues.ts';
import { FilterText } from './filter-bar.tsx';
import type { Filters } from './use-filters.ts';

interface SaleFilterProps<N extends string> {
  readonly filters: Filters<N>;
  /** Error of the list, whose issues name the fields. */
  readonly error: Error | null;
}

/** A filter by the days on which sales were recorded, both included. */
export function SalePeriod({ filters, error }: SaleFilterProps<'from' | 'to'>) {
  const problem = issueAt(error, 'range');
  return (
    <>
      <FilterText filters={filters} name="from" type="date" label="From (UTC)" problem={problem} />
      <FilterText filters={filters} name="to" type="date" label="To (UTC)" />
    </>
  );
}

/** A filter by what was paid, in whole tokens. */
export function SalePrice({ filters, error }: SaleFilterProps<'min' | 'max'>) {
  return (
    <>
      <FilterText
        filters={filters}
        name="min"
        label="Price from"
        placeholder="0"
        problem={issueAt(error, 'paidMin')}
      />
      <FilterText
        filters={filters}
        name="max"
        label="Price to"
        placeholder="any"
        problem={issueAt(error, 'paidMax')}
      />
    </>
  );
}

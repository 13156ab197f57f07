import { Link } from 'wouter';
import { fieldRows } from '../../../../../engine/core/receipt-coverage.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { words } from '../../../format.ts';

/** Every field of a receipt: the check that compares it with the chain, or why none does. */
export function Coverage() {
  return (
    <details className="more">
      <summary>What is compared with the chain, and what is not</summary>
      <p className="soft">
        A bundle proves less: it has no state of the contract, and cannot show that nothing
        followed. <Link href="/bundle">Its page</Link> says what it proves, field by field.
      </p>
      <DataTable
        caption="Fields of a receipt, and whether they are compared with the chain"
        rows={fieldRows()}
        rowKey={({ field }) => field}
        columns={[
          { name: 'Field', cell: ({ field }) => <code>{field}</code> },
          {
            name: 'Compared with the chain',
            cell: ({ check, reason }) =>
              check === undefined ? `No. ${reason}` : `Yes, by the check “${words(check)}”`,
          },
        ]}
      />
    </details>
  );
}

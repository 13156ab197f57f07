import { bundleRowGroups } from '../../../../engine/verify/bundle/coverage.ts';
import { DataTable } from '../../components/data-table.tsx';
import { words } from '../../format.ts';
import styles from './bundle.module.css';

/** Every field of a receipt: the check by which a bundle proves it, and what no bundle proves of it. */
export function Coverage() {
  return (
    <details className={`more ${styles.more}`}>
      <summary>What a bundle proves, and what it cannot</summary>
      <p className="soft">
        It shows what happened up to its newest event, if its blocks are on the chain. That nothing
        followed, only an RPC can say.
      </p>
      <DataTable
        caption="Fields of a receipt, and what a bundle proves of them"
        rows={bundleRowGroups()}
        rowKey={({ fields }) => fields.join()}
        columns={[
          {
            name: 'Fields',
            cell: ({ fields }) =>
              fields.map((field, i) => (
                <span key={field}>
                  {i > 0 && ', '}
                  <code>{field}</code>
                </span>
              )),
          },
          {
            name: 'Proven',
            cell: ({ check }) => (check ? `Yes, by the check “${words(check)}”` : 'No'),
          },
          { name: 'Not proven', cell: ({ open }) => open ?? '–' },
        ]}
      />
    </details>
  );
}

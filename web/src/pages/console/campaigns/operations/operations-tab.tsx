import { Link, useSearchParams } from 'wouter';
import { Card } from '../../../../components/card.tsx';
import { operationPath } from '../../paths.ts';
import styles from '../campaigns.module.css';
import type { Campaign } from './operation.ts';
import { OperationForm } from './operation-form.tsx';
import { operations } from './operations.tsx';

const groups = ['State', 'Money', 'Policy and prices', 'Who may take part'] as const;

/** Everything that the merchant can change on the chain, or the operation that `?operation=` names. */
export function OperationsTab({ campaign }: { readonly campaign: Campaign }) {
  const [params] = useSearchParams();
  const chosen = operations.find(({ id }) => id === params.get('operation'));
  if (chosen !== undefined) {
    return (
      <Card title={chosen.title}>
        <OperationForm key={chosen.id} operation={chosen} campaign={campaign} />
      </Card>
    );
  }
  return (
    <Card title="Operations">
      <p className="soft">
        Each shows first what it changes. Your wallet signs; nothing happens before.
      </p>
      <div className={styles.groups}>
        {groups.map((group) => (
          <Group key={group} group={group} campaign={campaign} />
        ))}
      </div>
    </Card>
  );
}

function Group({ group, campaign }: { group: (typeof groups)[number]; campaign: Campaign }) {
  const fitting = operations.filter((one) => one.group === group && (one.fits?.(campaign) ?? true));
  if (fitting.length === 0) return null;
  return (
    <div className={styles.group}>
      <h3>{group}</h3>
      <ul>
        {fitting.map(({ id, title, text }) => (
          <li key={id}>
            <Link href={operationPath(campaign.campaignId, id)}>{title}</Link>
            <br />
            <span className="soft">{text}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

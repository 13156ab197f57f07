import { Link, useSearchParams } from 'wouter';
import { Card } from '../../../../components/card.tsx';
import { operationPath } from '../../paths.ts';
import styles from '../campaigns.module.css';
import type { Campaign, Operation } from './operation.ts';
import { OperationForm } from './operation-form.tsx';
import { operations } from './operations.tsx';

const groups: readonly (readonly [Operation['group'], string])[] = [
  ['state', 'State'],
  ['money', 'Money'],
  ['terms', 'Policy and prices'],
  ['access', 'Who may take part'],
];

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
        {groups.map(([group, name]) => (
          <Group key={group} {...{ group, name, campaign }} />
        ))}
      </div>
    </Card>
  );
}

interface GroupProps {
  readonly group: Operation['group'];
  readonly name: string;
  readonly campaign: Campaign;
}

function Group({ group, name, campaign }: GroupProps) {
  const fitting = operations.filter((one) => one.group === group && (one.fits?.(campaign) ?? true));
  if (fitting.length === 0) return null;
  return (
    <div className={styles.group}>
      <h3>{name}</h3>
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

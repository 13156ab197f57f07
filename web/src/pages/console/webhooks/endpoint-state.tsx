import type { Client } from '../../../../../engine/client/index.ts';
import type { DataOf } from '../../../api.ts';
import { Badge } from '../../../components/badge.tsx';
import { Time } from '../../../components/time.tsx';
import styles from './webhooks.module.css';

export type Endpoint = DataOf<Client['webhooks']['list']>[number];

/** Whether an endpoint gets events, and why not. */
export function EndpointState({ endpoint }: { readonly endpoint: Endpoint }) {
  const { enabled, failingSince, disabledReason } = endpoint;
  if (!enabled) {
    return (
      <>
        <Badge tone="plain">off</Badge>{' '}
        {disabledReason && <span className={styles.soft}>{disabledReason}</span>}
      </>
    );
  }
  if (failingSince === null) return <Badge tone="good">on</Badge>;
  return (
    <>
      <Badge tone="bad">failing</Badge>{' '}
      <span className={styles.soft}>
        since <Time exact at={failingSince} />
      </span>
    </>
  );
}

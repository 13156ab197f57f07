import type { Client } from '../../../../../engine/client/index.ts';
import type { DataOf } from '../../../api.ts';
import { Badge } from '../../../components/badge.tsx';
import { Time } from '../../../components/time.tsx';

export type Endpoint = DataOf<Client['webhooks']['list']>[number];

/** Whether an endpoint gets events, and why not. */
export function EndpointState({ endpoint }: { readonly endpoint: Endpoint }) {
  const { enabled, failingSince, disabledReason } = endpoint;
  if (!enabled) {
    return (
      <>
        <Badge tone="plain">off</Badge>{' '}
        {disabledReason && <span className="soft">{disabledReason}</span>}
      </>
    );
  }
  if (failingSince === null) return <Badge tone="good">on</Badge>;
  return (
    <>
      <Badge tone="bad">failing</Badge>{' '}
      <span className="soft">
        since <Time exact at={failingSince} />
      </span>
    </>
  );
}

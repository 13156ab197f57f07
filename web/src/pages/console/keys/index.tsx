import { useState } from 'react';
import { useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Empty } from '../../../components/empty.tsx';
import { HeadAction } from '../../../components/head-action.tsx';
import { Secret } from '../../../components/secret.tsx';
import { Time } from '../../../components/time.tsx';
import { countOf } from '../../../format.ts';
import { useActing } from '../acting.tsx';
import { EnabledOnly } from '../enabled-only.tsx';
import type { ApiKey } from './api-key.ts';
import { KeyMenu } from './key-menu.tsx';
import { NewKey } from './new-key.tsx';

/** API keys of the account for the merchant. */
export default function KeysSection() {
  return (
    <EnabledOnly method="apiKeys.list" name="API keys">
      <Keys />
    </EnabledOnly>
  );
}

function Keys() {
  const { api, key } = useActing();
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const query = useApi([...key, 'apiKeys.list'], api.apiKeys.list, {});
  function show(made: string) {
    setCreating(false);
    setSecret(made);
  }
  return (
    <>
      {secret && <Secret value={secret} label="API key" />}
      <HeadAction>
        <Button main onClick={() => setCreating(true)}>
          New key
        </Button>
      </HeadAction>
      <Card title="API keys">
        <p className="soft">
          A program sends a key instead of a session. It may never do more than your account may at
          that moment, and it signs no transactions.
        </p>
        <Answered query={query} what="The keys">
          {({ data }) =>
            data.length === 0 ? (
              <Empty>You have no keys. Create one for your shop’s backend.</Empty>
            ) : (
              <KeyTable keys={data} onSecret={show} />
            )
          }
        </Answered>
      </Card>
      <Dialog title="New API key" open={creating} onClose={() => setCreating(false)}>
        <NewKey onSecret={show} />
      </Dialog>
    </>
  );
}

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly onSecret: (secret: string) => void;
}

function KeyTable({ keys, onSecret }: KeyTableProps) {
  return (
    <DataTable
      caption="Your API keys"
      rows={keys}
      rowKey={({ id }) => id}
      menu={(one) => <KeyMenu apiKey={one} onSecret={onSecret} />}
      columns={[
        {
          name: 'Key',
          cell: ({ name, prefix }) => (
            <>
              {name}
              <br />
              <code>{prefix}…</code>
            </>
          ),
        },
        { name: 'State', cell: (one) => <KeyState apiKey={one} /> },
        {
          name: 'May',
          cell: ({ scopes }) => (
            <span title={scopes.join(', ')}>
              {scopes.length <= 2 ? scopes.join(', ') : countOf(scopes.length, 'right')}
            </span>
          ),
        },
        {
          name: 'From',
          cell: ({ addresses }) => (addresses.length === 0 ? 'anywhere' : addresses.join(', ')),
        },
        {
          name: 'Last used',
          cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'never'),
        },
      ]}
    />
  );
}

function KeyState({ apiKey: { revokedAt, expiresAt } }: { readonly apiKey: ApiKey }) {
  if (revokedAt !== null) return <Badge tone="plain">revoked</Badge>;
  if (expiresAt === null) return <Badge tone="good">in use</Badge>;
  const isOver = Date.parse(expiresAt) <= Date.now();
  return (
    <>
      <Badge tone={isOver ? 'plain' : 'good'}>{isOver ? 'expired' : 'in use'}</Badge>
      <br />
      <span className="soft">
        {isOver ? 'since' : 'until'} <Time at={expiresAt} />
      </span>
    </>
  );
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import type { Client } from '../../../../../engine/client/index.ts';
import { type DataOf, useApi, usePages } from '../../../api.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Card, Cards } from '../../../components/card.tsx';
import { ConfirmButton } from '../../../components/confirm-button.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Field } from '../../../components/field.tsx';
import { FieldRow, Form } from '../../../components/form.tsx';
import { Hash } from '../../../components/hash.tsx';
import { Issue } from '../../../components/issue.tsx';
import { ListCard } from '../../../components/list.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { Time } from '../../../components/time.tsx';
import { inputOf } from '../../../form-issues.ts';
import { shortHex, words } from '../../../format.ts';
import { useName } from '../../../names.ts';
import { useActing, useMay } from '../acting.tsx';
import { EnabledOnly } from '../enabled-only.tsx';
import { ForRole } from '../for-role.tsx';
import { actionWords, resourceWords } from './audit-words.ts';
import styles from './team.module.css';

type Member = DataOf<Client['team']['members']>[number];
type GivenRole = 'admin' | 'analyst' | 'viewer';

const roleNames = [
  ['viewer', 'Viewer: reads everything but reports'],
  ['analyst', 'Analyst: also orders reports'],
  ['admin', 'Admin: also changes and prepares everything'],
] as const;

/** People who work for the merchant: members, invitations, roles, ownership, and what they changed. */
export default function TeamSection() {
  return (
    <EnabledOnly method="team.members" name="Teams">
      <Team />
    </EnabledOnly>
  );
}

function Team() {
  const { api, key } = useActing();
  const query = useApi([...key, 'team.members'], api.team.members, {});
  const isAdmin = useMay('admin');
  return (
    <Cards>
      <Card title="Members">
        <p className={`soft ${styles.lead}`}>
          Members read and prepare. Only the merchant’s wallet signs what reaches the chain.
        </p>
        <Answered query={query} what="The team">
          {({ data }) => <Members members={data} />}
        </Answered>
      </Card>
      <Card title="Invite somebody">
        <ForRole needs="admin">
          <Invite />
        </ForRole>
      </Card>
      {isAdmin && <AuditLog />}
    </Cards>
  );
}

function Members({ members }: { readonly members: readonly Member[] }) {
  const { session } = useActing();
  const shown = members.filter(({ status }) => status !== 'removed');
  return (
    <DataTable
      caption="Members of the team"
      rows={shown}
      rowKey={({ id }) => id}
      columns={[
        {
          name: 'Account',
          cell: ({ address }) => (
            <>
              <AddressLink address={address} />
              {address === session.address && ' (you)'}
            </>
          ),
        },
        {
          name: 'Status',
          cell: ({ status }) => (
            <Badge tone={status === 'active' ? 'good' : 'warn'}>{words(status)}</Badge>
          ),
        },
        { name: 'Since', cell: ({ joinedAt }) => (joinedAt ? <Time at={joinedAt} /> : '–') },
        { name: 'Role', cell: (member) => <RoleOf member={member} /> },
        { name: 'Change', cell: (member) => <Changes member={member} /> },
      ]}
    />
  );
}

/** Reads the team again after a change of it. */
function useTeamChanged() {
  const { key } = useActing();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: key });
}

function RoleOf({ member: { id, role, address } }: { readonly member: Member }) {
  const { api, session } = useActing();
  const isOwner = useMay('owner');
  const isAdmin = useMay('admin');
  const onSuccess = useTeamChanged();
  const change = useMutation({
    mutationFn: (next: string) => api.team.updateRole({ id, role: next as GivenRole }),
    onSuccess,
  });
  const may = isOwner || (isAdmin && role !== 'admin');
  if (role === 'owner' || !may || address === session.address) return role;
  return (
    <>
      <select
        className={styles.role}
        aria-label={`Role of ${shortHex(address)}`}
        value={role}
        disabled={change.isPending}
        onChange={({ target }) => change.mutate(target.value)}
      >
        {roleNames.map(([value]) => (
          <option key={value} value={value} disabled={value === 'admin' && !isOwner}>
            {value}
          </option>
        ))}
      </select>
      <Issue small of={change.error} />
    </>
  );
}

function Changes({ member: { id, address, role, status } }: { readonly member: Member }) {
  const { api, session } = useActing();
  const isOwner = useMay('owner');
  const isAdmin = useMay('admin');
  const changed = useTeamChanged();
  const isSelf = address === session.address;
  if (role === 'owner') return null;
  const mayRemove = isSelf || isOwner || (isAdmin && role !== 'admin');
  const name = isSelf ? 'Leave' : status === 'invited' ? 'Withdraw' : 'Remove';
  return (
    <span className="actions tight">
      {mayRemove && (
        <ConfirmButton
          name={name}
          title={`${name}: ${shortHex(address)}?`}
          onConfirm={async () => {
            await api.team.remove({ id });
            await changed();
          }}
        >
          The API keys of this account for this merchant end as well.
        </ConfirmButton>
      )}
      {isOwner && status === 'active' && (
        <ConfirmButton
          name="Make owner"
          title={`Make ${shortHex(address)} the owner?`}
          onConfirm={async () => {
            await api.team.transferOwnership({ address });
            await changed();
          }}
        >
          You become an admin. The merchant’s address on the chain stays: only its wallet signs
          transactions. Your wallet confirms this with a signature.
        </ConfirmButton>
      )}
    </span>
  );
}

function Invite() {
  const { api } = useActing();
  const isOwner = useMay('owner');
  const changed = useTeamChanged();
  const defaultValues = { address: '', role: 'viewer' as GivenRole };
  const form = useForm({ defaultValues });
  async function invite({ address, role }: typeof defaultValues) {
    await api.team.invite({ address: address.trim() as `0x${string}`, role });
    form.reset();
    await changed();
  }
  return (
    <Form form={form} onSubmit={invite} name="Invite">
      <FieldRow>
        <Field
          label="Account"
          hint="It joins by signing in here with its wallet."
          {...inputOf(form, 'address', (text) =>
            /^0x[0-9a-fA-F]{40}$/.test(text.trim()) ? undefined : 'Enter 0x and 40 hex digits.',
          )}
        />
        <SelectField
          label="Role"
          {...inputOf(form, 'role')}
          options={isOwner ? roleNames : roleNames.slice(0, 2)}
        />
      </FieldRow>
    </Form>
  );
}

function AuditLog() {
  const { api, key } = useActing();
  const pages = usePages([...key, 'team.audit'], api.team.audit, { limit: 20 });
  return (
    <ListCard
      title="Audit log"
      pages={pages}
      empty="Nothing was changed yet."
      rowKey={({ id }) => id}
      columns={[
        { name: 'When', cell: ({ at }) => <Time at={at} /> },
        { name: 'Who', cell: ({ actor, role }) => <Actor actor={actor} role={role} /> },
        { name: 'What', cell: ({ action }) => <span title={action}>{actionWords(action)}</span> },
        {
          name: 'Of',
          cell: ({ resource }) => (
            <span className={styles.id} title={resource}>
              {resourceWords(resource)}
            </span>
          ),
        },
        { name: 'Entry', cell: ({ id }) => <Hash value={id} label="entry" /> },
      ]}
    >
      <p className="soft">
        Every change by members and their keys. Each entry’s id is a hash over the one before it, so
        none can be removed unseen.
      </p>
    </ListCard>
  );
}

interface ActorProps {
  /** An address, with the id of the API key if it used one. */
  readonly actor: string;
  readonly role: string | null;
}

/** Who made a change, by name if there is one. */
function Actor({ actor, role }: ActorProps) {
  const [address] = /0x[0-9a-fA-F]{40}/.exec(actor) ?? [];
  const name = useName(address);
  const text = address === undefined ? actor : actor.replace(address, name ?? shortHex(address));
  return (
    <span title={actor}>
      {text} <span className="soft">{role}</span>
    </span>
  );
}

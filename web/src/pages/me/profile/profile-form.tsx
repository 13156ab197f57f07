import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link } from 'wouter';
import { ApiError } from '../../../../../engine/client/index.ts';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/use-session.ts';
import { api, type DataOf } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { shortHex } from '../../../format.ts';
import { issueAt } from '../../../issues.ts';
import styles from '../me.module.css';
import { type ProfileFields, shownFields } from './shown-fields.ts';

type OwnProfile = DataOf<typeof api.reputation.mine>;

/** A handle: a letter, then 2 to 31 lower-case letters, digits or hyphens. */
const HANDLE = /^[a-z][a-z0-9-]{2,31}$/;

/** Form for handle, name and visibility, with a preview of what strangers see. */
export function ProfileForm({ profile }: { readonly profile: OwnProfile }) {
  const queries = useQueryClient();
  const form = useForm<ProfileFields>({
    defaultValues: {
      visibility: profile.visibility,
      handle: profile.handle ?? '',
      displayName: profile.displayName ?? '',
    },
  });
  const [saved, setSaved] = useState(false);
  const save = useMutation({
    mutationFn: ({ visibility, handle, displayName }: ProfileFields) =>
      api.reputation.updateVisibility({
        visibility,
        handle: handle === '' ? null : handle,
        displayName: displayName.trim() === '' ? null : displayName.trim(),
      }),
    onMutate: () => setSaved(false),
    onSuccess: async () => {
      setSaved(true);
      await queries.invalidateQueries({ queryKey: [MINE] });
    },
  });
  const { errors } = form.formState;
  const handleIssue = errors.handle?.message ?? issueAt(save.error, 'handle') ?? taken(save.error);
  const nameIssue = issueAt(save.error, 'displayName');
  return (
    <form
      className="stack"
      onSubmit={(event) => void form.handleSubmit((fields) => save.mutate(fields))(event)}
    >
      <div className={styles.fields}>
        <Field
          id="profile-handle"
          label="Handle"
          hint="3 to 32 lower-case letters, digits or hyphens. It names your public page."
          autoComplete="off"
          maxLength={32}
          problem={handleIssue}
          {...form.register('handle', {
            validate: (handle) =>
              handle === '' ||
              HANDLE.test(handle) ||
              'Begin with a letter, and use 3 to 32 lower-case letters, digits or hyphens.',
          })}
        />
        <Field
          id="profile-name"
          label="Name"
          hint="At most 100 characters."
          autoComplete="off"
          maxLength={100}
          problem={nameIssue}
          {...form.register('displayName')}
        />
      </div>
      <fieldset className={styles.choices}>
        <legend>Who may know that the handle is yours?</legend>
        <label>
          <input type="radio" value="public" {...form.register('visibility')} /> Everybody. The
          handle, the address and your record are shown together.
        </label>
        <label>
          <input type="radio" value="pseudonymous" {...form.register('visibility')} /> No other
          account. The handle shows only rough numbers, and your address shows no handle.
        </label>
      </fieldset>
      <Preview fields={form.watch()} address={profile.address} />
      <div className={styles.row}>
        <Button main type="submit" disabled={save.isPending}>
          {save.isPending ? 'Waiting for your wallet…' : 'Save'}
        </Button>
        <p className="soft" role="status">
          {saved ? 'Saved.' : 'Your wallet asks for a signature, which costs nothing.'}
        </p>
      </div>
      {save.error && handleIssue === undefined && nameIssue === undefined && (
        <p className="issue" role="alert">
          {save.error.message}
        </p>
      )}
    </form>
  );
}

interface PreviewProps {
  readonly fields: ProfileFields;
  readonly address: string;
}

/** Preview of the two pages that strangers will see: of the handle and of the address. */
function Preview({ fields, address }: PreviewProps) {
  const { byHandle, byAddress } = shownFields(fields);
  const record = 'links, sales, rank and what buyers paid';
  return (
    <section className="stack" aria-label="What strangers see">
      <h3>What strangers see</h3>
      <dl className={styles.tokens}>
        <div>
          <dt>
            On the page of your handle
            {byHandle && (
              <>
                , <code>{pathOf('distributor', { address: fields.handle })}</code>
              </>
            )}
          </dt>
          <dd>
            {byHandle === undefined ? (
              'There is no such page without a handle.'
            ) : (
              <>
                <strong>{byHandle.heading}</strong>
                {byHandle.record
                  ? ` with your address, ${record}.`
                  : ' with rough numbers of sales and merchants, and no address.'}
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>On the page of your address</dt>
          <dd>
            <strong>{byAddress ?? shortHex(address)}</strong> with {record}. They are on the chain,
            and cannot be hidden. <Link href={pathOf('distributor', { address })}>Open it</Link>
          </dd>
        </div>
      </dl>
    </section>
  );
}

/** The API's message about a handle that belongs, or belonged, to another account. */
function taken(error: Error | null): string | undefined {
  return error instanceof ApiError && error.status === 409 ? error.message : undefined;
}

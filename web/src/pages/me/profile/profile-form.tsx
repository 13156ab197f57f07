import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { Link } from 'wouter';
import { ApiError } from '../../../../../engine/client/error.ts';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/session.ts';
import { api, type DataOf } from '../../../api.ts';
import { Field } from '../../../components/field.tsx';
import { Choices, FieldRow, Form } from '../../../components/form.tsx';
import { FieldIssue, inputOf } from '../../../form-issues.ts';
import { shortHex } from '../../../format.ts';
import styles from '../me.module.css';
import { type ProfileFields, shownFields } from './shown-fields.ts';

type OwnProfile = DataOf<typeof api.reputation.mine>;

/** A handle: a letter, then 2 to 31 lower-case letters, digits or hyphens. */
const HANDLE = /^[a-z][a-z0-9-]{2,31}$/;

const visibilities = [
  ['public', 'Everybody. The handle, the address and your record are shown together.'],
  [
    'pseudonymous',
    'No other account. The handle shows only rough numbers, and your address shows no handle.',
  ],
] as const;

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
  async function save({ visibility, handle, displayName }: ProfileFields) {
    try {
      await api.reputation.updateVisibility({
        visibility,
        handle: handle || null,
        displayName: displayName.trim() || null,
      });
    } catch (error) {
      // The handle belongs, or belonged, to another account.
      if (error instanceof ApiError && error.status === 409) {
        throw new FieldIssue('handle', error.message);
      }
      throw error;
    }
    await queries.invalidateQueries({ queryKey: [MINE] });
  }
  return (
    <Form form={form} onSubmit={save} name="Save" busy="Waiting for your wallet…" saved="Saved.">
      <FieldRow>
        <Field
          label="Handle"
          hint="3 to 32 lower-case letters, digits or hyphens. It names your public page."
          autoComplete="off"
          maxLength={32}
          {...inputOf(form, 'handle', (handle) =>
            handle === '' || HANDLE.test(handle)
              ? undefined
              : 'Begin with a letter, and use 3 to 32 lower-case letters, digits or hyphens.',
          )}
        />
        <Field
          label="Name"
          hint="At most 100 characters."
          autoComplete="off"
          maxLength={100}
          {...inputOf(form, 'displayName')}
        />
      </FieldRow>
      <Choices
        title="Who may know that the handle is yours?"
        options={visibilities}
        {...form.register('visibility')}
      />
      <Preview fields={form.watch()} address={profile.address} />
      <p className="soft">Your wallet asks for a signature, which costs nothing.</p>
    </Form>
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

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { SlugInput } from '../../../../../engine/contract/shapes/merchant.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { TextField } from '../../../components/text-field.tsx';
import { issueAt } from '../../../issues.ts';
import { useActing } from '../acting.tsx';
import styles from '../console.module.css';
import { Issue } from '../issue.tsx';
import type { Profile } from '../use-profile.ts';

type Setup = Parameters<Client['merchants']['setup']>[0];

const fields = ['slug', 'name', 'description', 'websiteUrl', 'supportEmail'];

/** The form of the public profile; without one yet, it creates it. */
export function ProfileForm({ profile }: { readonly profile?: Profile }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const [slug, setSlug] = useState(profile?.slug ?? '');
  const save = useMutation({
    mutationFn: async (input: Setup) =>
      profile === undefined
        ? (await api.merchants.setup(input)).data
        : (await api.merchants.update(input)).data,
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    save.mutate({
      slug,
      name: text('name'),
      description: text('description'),
      websiteUrl: text('websiteUrl') || null,
      supportEmail: text('supportEmail') || null,
    });
  }
  const { error } = save;
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <div className={styles.fields}>
        <Field
          id="name"
          name="name"
          label="Name"
          hint="As buyers see it. No other merchant has it."
          defaultValue={profile?.name}
          problem={issueAt(error, 'name')}
        />
        <div>
          <Field
            id="slug"
            name="slug"
            label="Address of your page"
            hint={`${window.location.host}${pathOf('merchant', { slug: slug || '…' })}`}
            value={slug}
            onChange={({ target }) => setSlug(target.value.trim().toLowerCase())}
            problem={issueAt(error, 'slug')}
          />
          <SlugNote slug={slug} own={profile?.slug} onChoose={setSlug} />
        </div>
        <Field
          id="websiteUrl"
          name="websiteUrl"
          type="url"
          label="Website"
          placeholder="https://"
          defaultValue={profile?.websiteUrl ?? ''}
          problem={issueAt(error, 'websiteUrl')}
        />
        <Field
          id="supportEmail"
          name="supportEmail"
          type="email"
          label="E-mail for buyers"
          hint="Public."
          defaultValue={profile?.supportEmail ?? ''}
          problem={issueAt(error, 'supportEmail')}
        />
      </div>
      <TextField
        id="description"
        name="description"
        label="Description"
        rows={4}
        maxLength={5_000}
        defaultValue={profile?.description}
        problem={issueAt(error, 'description')}
      />
      <div className={styles.row}>
        <Button type="submit" main disabled={save.isPending}>
          {profile === undefined ? 'Create the profile' : 'Save'}
        </Button>
        {profile && <Link href={pathOf('merchant', profile)}>Public page</Link>}
      </div>
      <Issue error={error} shownAt={fields} />
      {save.isSuccess && <p role="status">Saved.</p>}
    </form>
  );
}

interface SlugNoteProps {
  readonly slug: string;
  /** The slug that the merchant has now. */
  readonly own: string | undefined;
  readonly onChoose: (slug: string) => void;
}

/** Milliseconds without a key after which the API is asked. */
const PAUSE_MS = 400;

/** Whether the slug is free; if not, one that is. */
function SlugNote({ slug, own, onChoose }: SlugNoteProps) {
  const { api, key } = useActing();
  const query = useQuery({
    queryKey: [...key, 'merchants.slugAvailable', slug],
    enabled: slug !== own && SlugInput.safeParse(slug).success,
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      // Another key was pressed meanwhile: that query asks.
      signal.throwIfAborted();
      return (await api.merchants.slugAvailable({ slug }, { signal })).data;
    },
  });
  if (query.data === undefined) return null;
  const { available, suggestion } = query.data;
  return (
    <p className="soft" role="status">
      {available ? 'This address is free.' : 'This address is taken. '}
      {suggestion !== null && (
        <Button quiet onClick={() => onChoose(suggestion)}>
          Use {suggestion}
        </Button>
      )}
    </p>
  );
}

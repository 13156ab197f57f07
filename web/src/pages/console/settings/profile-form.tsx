import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { SlugInput } from '../../../../../engine/contract/shapes/merchant.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { FieldRow, Form } from '../../../components/form.tsx';
import { TextField } from '../../../components/text-field.tsx';
import { inputOf } from '../../../form-issues.ts';
import { useActing } from '../acting.tsx';
import type { Profile } from '../use-profile.ts';

/** The form of the public profile; without one yet, it creates it. */
export function ProfileForm({ profile }: { readonly profile?: Profile }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const defaultValues = {
    slug: profile?.slug ?? '',
    name: profile?.name ?? '',
    description: profile?.description ?? '',
    websiteUrl: profile?.websiteUrl ?? '',
    supportEmail: profile?.supportEmail ?? '',
  };
  const form = useForm({ defaultValues });
  const slug = slugOf(form.watch('slug'));
  const name = inputOf(form, 'name');
  async function save(values: typeof defaultValues) {
    const input = {
      slug,
      name: values.name.trim(),
      description: values.description.trim(),
      websiteUrl: values.websiteUrl.trim() || null,
      supportEmail: values.supportEmail.trim() || null,
    };
    await (profile === undefined ? api.merchants.setup(input) : api.merchants.update(input));
    await queries.invalidateQueries({ queryKey: key });
  }
  return (
    <Form
      form={form}
      onSubmit={save}
      name={profile === undefined ? 'Create the profile' : 'Save'}
      saved="Saved."
      aside={profile && <Link href={pathOf('merchant', profile)}>Public page</Link>}
    >
      <FieldRow>
        <Field
          label="Name"
          hint="As buyers see it. No other merchant has it."
          {...name}
          onChange={(event) => {
            void name.onChange(event);
            // Until the merchant writes an address of its own, it follows the name.
            if (profile === undefined && !form.getFieldState('slug').isDirty) {
              form.resetField('slug', { defaultValue: slugOfName(event.target.value) });
            }
          }}
        />
        <div>
          <Field
            label="Address of your page"
            hint={`${window.location.host}${pathOf('merchant', { slug: slug || 'your-name' })}`}
            {...inputOf(form, 'slug', slugIssue)}
          />
          <SlugNote
            slug={slug}
            own={profile?.slug}
            onChoose={(free) => form.setValue('slug', free, { shouldDirty: true })}
          />
        </div>
        <Field type="url" label="Website" placeholder="https://" {...inputOf(form, 'websiteUrl')} />
        <Field
          type="email"
          label="E-mail for buyers"
          hint="Public. Buyers see it at the checkout, with their purchases and when they ask for a refund."
          {...inputOf(form, 'supportEmail')}
        />
      </FieldRow>
      <TextField label="Description" rows={4} maxLength={5_000} {...inputOf(form, 'description')} />
    </Form>
  );
}

const slugOf = (text: string) => text.trim().toLowerCase();

/** A readable address for a name: `Café Ålesund` becomes `cafe-alesund`. */
function slugOfName(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
}

function slugIssue(text: string): string | undefined {
  return SlugInput.safeParse(slugOf(text)).success
    ? undefined
    : 'Use 1 to 63 letters from a to z, digits and hyphens, such as your-name.';
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

import { api, useApi } from '../api.ts';

interface ContactProps {
  /** Name of the merchant. */
  readonly name: string;
  /** `null` if the merchant named none. */
  readonly email: string | null;
  /** Subject of the mail: what it is about. */
  readonly about: string;
}

/** Where a merchant answers buyers; nothing if it named no address. */
export function MerchantContact({ name, email, about }: ContactProps) {
  if (email === null) return null;
  return (
    <p className="soft">
      Questions? Write to {name}:{' '}
      <a href={`mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(about)}`}>
        {email}
      </a>
    </p>
  );
}

interface ProfileContactProps extends Omit<ContactProps, 'email' | 'name'> {
  readonly merchant: { readonly slug: string; readonly name: string };
}

/** Where a merchant answers buyers, by its profile. */
export function ProfileContact({ merchant, about }: ProfileContactProps) {
  const { slug, name } = merchant;
  const profile = useApi(['merchants.get'], api.merchants.get, { slug });
  const email = profile.data?.data.supportEmail ?? null;
  return <MerchantContact name={name} email={email} about={about} />;
}

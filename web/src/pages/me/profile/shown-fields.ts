/** Values of the profile form. */
export interface ProfileFields {
  readonly visibility: 'public' | 'pseudonymous';
  /** Empty without one. */
  readonly handle: string;
  /** Empty without one. */
  readonly displayName: string;
}

/** Headings of the public pages of a profile. */
interface Shown {
  /** The page of the handle: its heading, and whether it has the account's record. `undefined` without a handle. */
  readonly byHandle: { readonly heading: string; readonly record: boolean } | undefined;
  /** Heading of the page of the address; `undefined` if it is the address alone. */
  readonly byAddress: string | undefined;
}

/** The public pages of a profile: a public handle is linked to the address, a pseudonymous one is not. */
export function shownFields({ visibility, handle, displayName }: ProfileFields): Shown {
  const name = displayName.trim();
  const heading = name === '' ? handle : name;
  const isPublic = visibility === 'public';
  return {
    byHandle: handle === '' ? undefined : { heading, record: isPublic },
    byAddress: isPublic && heading !== '' ? heading : undefined,
  };
}

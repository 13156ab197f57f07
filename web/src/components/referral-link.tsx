import { CopyButton } from './copy-button.tsx';

/** Address that visitors of a link open: it counts the visit and leads to the campaign. */
const referralUrl = (code: string): string => `${location.origin}/r/${code}`;

/** The address of a referral code, to copy. */
export function ReferralLink({ code }: { readonly code: string }) {
  const url = referralUrl(code);
  return (
    <span>
      <code>{url}</code> <CopyButton text={url} label="link" />
    </span>
  );
}

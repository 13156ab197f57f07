import { pathOf } from '../../../engine/contract/pages.ts';
import { Share } from '../share/share.tsx';
import { CopyButton } from './copy-button.tsx';

interface ReferralLinkProps {
  readonly code: string;
  /** Title of the product, for other ways to share it; without it the address can only be copied. */
  readonly title?: string;
}

/** The address of a link, which counts the visit and leads to the product: to copy and to share. */
export function ReferralLink({ code, title }: ReferralLinkProps) {
  const path = pathOf('link', { code });
  const url = `${location.origin}${path}`;
  return (
    <span>
      <code>{url}</code> <CopyButton text={url} label="link" />{' '}
      {title !== undefined && <Share path={path} title={title} />}
    </span>
  );
}

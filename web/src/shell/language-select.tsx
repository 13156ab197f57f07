import { useId } from 'react';
import { LANGUAGE_COOKIE, languageOf, languages } from '../../../engine/contract/languages.ts';
import { language } from '../translation.ts';

/** Seconds that a browser stores the choice. */
const MAX_AGE_SECONDS = 365 * 86_400;

/** The language of the pages. */
export function LanguageSelect({ className }: { readonly className?: string | undefined }) {
  const id = useId();
  return (
    <span className={className}>
      <label htmlFor={id}>Language</label>
      <select id={id} value={language} onChange={({ target }) => choose(target.value)}>
        {Object.entries(languages).map(([value, name]) => (
          <option key={value} value={value} lang={value}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}

/** Loads this page in a language, as all others from now on in this browser. */
function choose(name: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the server reads it, and not every browser has a CookieStore.
  document.cookie = `${LANGUAGE_COOKIE}=${languageOf(name)}; path=/; max-age=${MAX_AGE_SECONDS}; samesite=lax`;
  window.location.reload();
}

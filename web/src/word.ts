/**
 * Marks a single word without a capital as a text of the page: without it, the catalogue of texts takes it for a name
 * of the program (docs/how-it-works/pages.md#texts-and-languages).
 */
export function word(english: string): string {
  return english;
}

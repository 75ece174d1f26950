/** The beginning of a generated ID. Names that people gave are not shortened. */
export function shortId(id: string): string {
  return /^[\da-f]{8}-[\da-f]{4}-/.test(id) ? id.slice(0, 8) : id
}

/** What both formats of Bruno have in common: multipart forms, whose bodies Bruno builds itself, and redirects. */
import { type Entry, type FormField, type Header, isRedirect } from '../entries.ts'

/** The headers; those of a form without `Content-Type`, because Bruno chooses the boundary. */
export function headersBeside(form: FormField[] | null, { headers }: Entry): Header[] {
  return form === null ? headers : headers.filter(({ name }) => name.toLowerCase() !== 'content-type')
}

/** The notes, and one that names the files of a form: Bruno sends only files that it finds on the disk. */
export function notesOn(form: FormField[] | null, { notes }: Entry): string[] {
  const files = (form ?? []).filter(({ filename }) => filename !== null).map(({ name }) => `\`${name}\``)
  return files.length === 0
    ? notes
    : [...notes, `Sent as text, without a file name: ${files.join(', ')}. Choose a file to upload one.`]
}

export function redirectSettings(entry: Entry): object {
  return isRedirect(entry) ? { followRedirects: false, maxRedirects: 0 } : {}
}

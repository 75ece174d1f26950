/** Owns what a format is: how it is named and served, and how it is written. */
import type { CatalogEndpoint } from 'svc/plugin'
import type { Folder } from './entries.ts'

export interface Format {
  /** In lists; unique. */
  id: string
  title: string
  /** One sentence: what the file is for. */
  description: string
  /** Behind `/export/`. */
  file: string
  /** Value of `Content-Type`. */
  mediaType: string
  /** Name under which a browser saves it. */
  filename: string
  /** The whole file. */
  write(selection: Selection): string
}

/** What one request asked for. */
export interface Selection {
  /** Where the requests of the file go: without a slash at the end. */
  baseUrl: string
  /** Version of the instance. */
  version: string
  /** Endpoints of the catalog that are wanted, in its order. */
  endpoints: CatalogEndpoint[]
  /** Their examples, as far as a collection can hold them. */
  folders: Folder[]
}

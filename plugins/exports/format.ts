/** The interface of an export format. */
import type { CatalogEndpoint } from 'svc/plugin'
import type { Folder } from './entries.ts'

export interface Format {
  /** Unique id, for lists. */
  id: string
  title: string
  /** One sentence about the file. */
  description: string
  /** Path after `/export/`. */
  file: string
  /** Value of `Content-Type`. */
  mediaType: string
  /** File name for downloads. */
  filename: string
  /** Returns the contents of the file. */
  write(selection: Selection): string
}

/** The parameters of an export request. */
export interface Selection {
  /** Target of the requests in the file, without a trailing slash. */
  baseUrl: string
  /** Version of the instance. */
  version: string
  /** The selected endpoints, in catalog order. */
  endpoints: CatalogEndpoint[]
  /** The examples of the endpoints that a collection can represent. */
  folders: Folder[]
}

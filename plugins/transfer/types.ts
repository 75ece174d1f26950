/** Types of the extension point of the plugin `transfer`. */

/** Content that other plugins serve too. */
export interface TransferContent {
  /** An HTML page with text in many scripts, in UTF-8. */
  utf8Page: Buffer
  /** Random bytes. The same seed gives the same bytes on every instance. */
  makeBytes(count: number, seed: string | null): Buffer
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'transfer.content': TransferContent
  }
}

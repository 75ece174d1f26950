/** Types of the extension point of the plugin `images`. */

declare module 'svc/plugin' {
  interface ExtensionPoints {
    /** The images by media type. */
    'images.files': Readonly<Record<string, Buffer>>
  }
}

/** The part of the package that is used; it has no types. */
declare module 'swagger2openapi' {
  interface Options {
    /** Corrects small mistakes of the document. */
    patch: boolean
    /** Adds warnings to the document (`x-s2o-warning`) instead of throwing. */
    warnOnly: boolean
    /** Resolves with the document itself. */
    direct: true
  }

  /** Changes the given document. Opens no file and no connection, because `resolve` is not set. */
  export function convertObj(swagger: object, options: Options): Promise<object>
}

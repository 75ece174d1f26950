/** Imports a module by its URL. Rejects with what the module throws. */
export function nativeImport(url: string): Promise<unknown>

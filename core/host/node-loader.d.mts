export interface NodeLoaderOptions {
  own(id: string): unknown
  missing(id: string, folder: string, error: Error): unknown
  refuse(file: string): never
}

/** Returns a function that loads the module of an entry file, as it is now. A process has one loader. */
export function createNodeLoader(options: NodeLoaderOptions): (entry: string) => Promise<object>

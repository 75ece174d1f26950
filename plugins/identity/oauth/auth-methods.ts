/** How clients authenticate (RFC 7591, 2; RFC 8705, 2.1.1). */

/** The methods of every issuer; `none` makes a client public. */
export const SECRET_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const
/** Methods that a client must use if it registered one of them. Only issuers by path announce them. */
export const STRONG_METHODS = ['private_key_jwt', 'client_secret_jwt', 'tls_client_auth'] as const
/** All methods. */
export const AUTH_METHODS = [...SECRET_METHODS, ...STRONG_METHODS] as const

/** A method. */
export type AuthMethod = (typeof AUTH_METHODS)[number]
/** A method that its clients must use. */
export type StrongMethod = (typeof STRONG_METHODS)[number]

/** The methods that an issuer requires (FAPI 2.0 Security Profile, 5.3.2.1). */
const REQUIRED_METHODS: readonly AuthMethod[] = ['private_key_jwt', 'tls_client_auth']

/** The methods that an issuer by path accepts. */
export function acceptedMethods({ require }: { require: readonly string[] }): readonly AuthMethod[] {
  return require.includes('private_key_jwt') ? REQUIRED_METHODS : AUTH_METHODS
}

/** Whether a method is one of those that its clients must use. */
export function isStrongMethod(method: AuthMethod): method is StrongMethod {
  return STRONG_METHODS.some(known => known === method)
}

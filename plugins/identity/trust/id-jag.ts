/** Names of the identity assertion authorization grant (ID-JAG). */

/** The value of `requested_token_type`. */
export const ID_JAG_TYPE = 'urn:ietf:params:oauth:token-type:id-jag'

/** The issuer that gives them. */
export const ID_JAG_ISSUER = 'idp'

/** The type of the header of an identity assertion authorization grant. */
export const ID_JAG_TYP = 'oauth-id-jag+jwt'

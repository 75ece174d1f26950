/** Rules of issuers by path and everything that builds on them. */
export default [
  {
    id: 'IDN-1',
    rule: 'An issuer by path has its own metadata at four addresses, and its own keys, codes, refresh tokens, clients and revocations',
    where: 'identity-next 2',
  },
  {
    id: 'IDN-2',
    rule: 'The default issuer keeps its metadata but for end_session_endpoint, its RS256 key and its grants',
    where: 'identity-next introduction',
  },
  {
    id: 'IDN-3',
    rule: 'An unknown issuer is 404 unknown_issuer with the names of all issuers',
    where: 'identity-next 2',
  },
  {
    id: 'IDN-4',
    rule: 'Settings are validated in the same way in svc.yaml, the control plane and the extension point; an unknown member is an error with the nearest name',
    where: 'identity-next 2, 12',
  },
  {
    id: 'IDN-5',
    rule: 'The control plane creates, replaces and removes only its own issuers, behind the admin guard; secrets and passwords are never shown',
    where: 'identity-next 2',
  },
  {
    id: 'IDN-6',
    rule: 'Settings decide algorithms, lifetimes, audience, type, format and claims of tokens, the lifetime of codes, and what happens to refresh tokens',
    where: 'identity-next 2',
  },
  {
    id: 'IDN-7',
    rule: 'Users and clients of the settings are added to the demo ones; a name that is a demo user replaces it; roles and claims reach tokens and userinfo',
    where: 'identity-next 3',
  },
  {
    id: 'IDN-8',
    rule: '/auth/jwt accepts tokens of the default issuer, or those of the issuer in the query; the host of iss is not compared, HMAC never belongs to an issuer by path, and the type can be required',
    where: 'identity-next 10',
  },
  {
    id: 'IDN-9',
    rule: 'An order decides kind, claims, header, algorithm, key, dates, signature, size and form of a token; unknown members at any place but claims and header are refused with the nearest name',
    where: 'identity-next 4, 12',
  },
  {
    id: 'IDN-10',
    rule: 'One request returns a fresh token of every preset with the issuer, its key set and the audience',
    where: 'identity-next 4',
  },
  {
    id: 'IDN-11',
    rule: 'accept and why of an order are what a correct verifier says; /auth/jwt and jose agree',
    where: 'identity-next 4',
  },
  { id: 'IDN-12', rule: 'In public mode orders need the admin token and are smaller', where: 'identity-next 4, 13' },
  {
    id: 'IDN-13',
    rule: 'Keys rotate in five modes, also those of the default issuer; what signs and what is published follows from the record and the clock; at most eight keys are kept',
    where: 'identity-next 5.1',
  },
  {
    id: 'IDN-14',
    rule: 'JWK Set, metadata, token endpoint and introspection have faults, by setting, control plane or query; they end after their uses or their time; unknown ones are refused with the nearest name',
    where: 'identity-next 5.2, 12',
  },
  {
    id: 'IDN-15',
    rule: 'The hostile issuer gives wrong metadata and answers, one wrong thing at a time if asked for',
    where: 'identity-next 6.3',
  },
  {
    id: 'IDN-16',
    rule: 'Clients authenticate with a JWT signed with their key or their secret, once and for at most ten minutes, or with a certificate with the registered subject; who registered one of these must use it; an issuer can require keys',
    where: 'identity-next 3, 6.1, 12',
  },
  {
    id: 'IDN-17',
    rule: 'Devices get codes that a user approves or denies on a page, or parameters without a browser; polling reports the state and asks to slow down; wrong user codes are limited by address',
    where: 'identity-next 8, 12',
  },
  {
    id: 'IDN-18',
    rule: 'Clients push authorization requests, which are used once, and sign request objects, whose parameters alone count; both can be required; nothing is fetched',
    where: 'identity-next 6.2, 12',
  },
  {
    id: 'IDN-19',
    rule: 'A DPoP proof, which is accepted once, binds tokens, codes and refresh tokens of public clients to a key; resources take a bound token only with its proof; proofs and nonces can be required',
    where: 'identity-next 7, 10, 12',
  },
  {
    id: 'IDN-20',
    rule: 'The certificate of the token request binds tokens of clients and issuers that require it; resources compare it',
    where: 'identity-next 7',
  },
  {
    id: 'IDN-21',
    rule: 'Trusted issuers assert users to clients (ID-JAG, by token exchange at idp) and workloads; an assertion is for one audience and client, accepted once, and gives an access token only',
    where: 'identity-next 8, 12',
  },
  {
    id: 'IDN-22',
    rule: 'The issuer strict requires pushed requests, PKCE with S256, client authentication with a key or a certificate, and bound tokens',
    where: 'identity-next 2',
  },
  {
    id: 'IDN-23',
    rule: 'Introspection at issuers by path answers with a signed JWT to requests that accept one; errors stay JSON',
    where: 'identity-next 8',
  },
  {
    id: 'IDN-24',
    rule: 'A client id can be the URL of a metadata document: own ones are read in-process, others only from allowed hosts; documents and key sets are bounded in size and time, redirects are not followed, and unusable documents are refused',
    where: 'identity-next 3, 6.2, 12',
  },
  {
    id: 'IDN-25',
    rule: 'The login has variants, by issuer or by svc_login of a request: at once, with consent, with a one-time code, slow, failing and locked; pages after the password carry their state in one signed field that is used once; ID tokens say how the user logged in',
    where: 'identity-next 9',
  },
  {
    id: 'IDN-27',
    rule: 'The host that a request names does not decide what URLs mean: those of settings and of allowed hosts are never paths of this instance, a client that registers a URL as it sees this instance has that path for good, and own documents and keys are kept apart from those of other hosts',
    where: 'identity-next 2, 3, 6.2',
  },
  {
    id: 'IDN-28',
    rule: 'Of one client, an IPv4 address or an IPv6 network of 64 bits, five wrong user codes a minute are checked, also if they come at once; codes, tokens, secrets and session ids have at least 96 random bits and are compared in constant time',
    where: 'identity-next 12, RFC 8628 5.1',
  },
  {
    id: 'IDN-26',
    rule: 'Each approval begins a session. A logout with an ID token, or confirmed by the user, ends it: its codes and refresh tokens are revoked, its client is notified once, and the browser returns only to a registered URI',
    where: 'identity-next 9, 12',
  },
]

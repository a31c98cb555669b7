import { sqlState } from './sql.js';

/** What is wrong with a server's certificate, by the code of Node.js. */
const FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by a known authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by a known authority',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is not signed by a known authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not signed by a known authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by a known authority',
  CERT_SIGNATURE_FAILURE: 'its certificate is not signed by a known authority',
};

/** Why the certificate of a server was refused, as the end of a sentence; null: that was not the error. */
export const certificateFault = (error: unknown): string | null => FAULTS[sqlState(error)] ?? null;

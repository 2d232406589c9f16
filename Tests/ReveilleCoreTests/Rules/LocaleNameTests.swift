// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

@Suite struct LocaleNameTests {
    @Test(arguments: [
        ("es_ES", "es_ES"), ("de_DE.UTF-8", "de_DE"), ("de", "de"), ("pt-BR", "pt_BR"), ("zh-TW", "zh_TW"),
        ("zh_Hant_TW", "zh_Hant_TW"), ("ZH_hans", "zh_Hans"), ("es_419", "es_419"), ("ckb_IQ.UTF-8", "ckb_IQ"),
        ("", "en_US_POSIX"), ("C", "en_US_POSIX"), ("POSIX", "en_US_POSIX"), ("C.UTF-8", "en_US_POSIX"),
        ("C.utf8", "en_US_POSIX"), ("en_US_POSIX", "en_US_POSIX"), ("german", "en_US_POSIX"), ("12", "en_US_POSIX"),
        ("_DE", "de"), ("@latin", "en_US_POSIX"), (".UTF-8", "en_US_POSIX"),
        ("sr_RS.UTF-8@latin", "sr_Latn_RS"), ("sr_RS@latin", "sr_Latn_RS"), ("sr@latin", "sr_Latn"),
        ("uz_UZ@cyrillic", "uz_Cyrl_UZ"), ("sd_IN@devanagari", "sd_Deva_IN"), ("tt_RU@iqtelif", "tt_Latn_RU"),
        ("ca_ES.UTF-8@valencia", "ca_ES_VALENCIA"), ("de_DE@euro", "de_DE"), ("aa_ER@saaho", "aa_ER"),
        ("no_NO", "nb_NO"), ("no_NO@nynorsk", "nn_NO"), ("iw_IL", "he_IL"), ("in_ID", "id_ID"), ("ji", "yi"),
        ("mo_MD", "ro_MD"), ("sh_BA", "sr_Latn_BA"), ("de_DE_phonebook", "de_DE_PHONEBOOK"),
        ("de_D\u{E9}", "de"), ("de_\0", "de"),
    ])
    func posixNamesBecomeIdentifiers(posix: String, identifier: String) {
        #expect(LocaleName(posix: posix).identifier == identifier)
    }

    @Test(arguments: [("pt_BR.UTF-8", "pt-BR"), ("sr@latin", "sr-Latn"), ("C", "en-US-POSIX"), ("en", "en")])
    func tagsHaveHyphens(posix: String, tag: String) {
        #expect(LocaleName(posix: posix).tag == tag)
    }
}

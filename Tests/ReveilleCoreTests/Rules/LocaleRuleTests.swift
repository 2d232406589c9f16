// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct LocaleRuleTests {
    @Test func noVariablesAreTheCLocale() {
        #expect(LocaleRule.reading(of: [:]) == .posix)
        #expect(LocaleRule.reading(of: ["LANG": "", "LC_ALL": ""]) == .posix)
    }

    @Test(arguments: [
        (["LANG": "de_DE"], "de_DE"),
        (["LANG": "de_DE", "LC_MESSAGES": "en_US"], "en_US"),
        (["LANG": "de_DE", "LC_MESSAGES": "en_US", "LC_ALL": "fr_FR"], "fr_FR"),
        (["LANG": "de_DE", "LC_MESSAGES": "", "LC_ALL": ""], "de_DE"),
        (["LANG": "de_DE", "LC_CTYPE": "en_US"], "de_DE"),
        (["LANG": "/usr/bin/foo"], "en_US_POSIX"),
        (["LANG": "de_DE", "LC_ALL": "a/b"], "de_DE"),
        (["LANG": "de\u{1}_DE"], "en_US_POSIX"),
        (["LANG": "de_DE" + String(repeating: "x", count: 123)], "en_US_POSIX"),
    ])
    func identifierIsThatOfMessages(environment: [String: String], identifier: String) {
        #expect(LocaleRule.reading(of: environment).identifier == identifier)
    }

    @Test func eachCategoryHasItsOwnFormats() {
        let environment = [
            "LANG": "es_ES.UTF-8", "LC_NUMERIC": "es_MX.UTF-8", "LC_TIME": "fr_FR", "LC_MONETARY": "de_AT",
            "LC_MEASUREMENT": "en_US",
        ]
        let expected = LocaleSettings(
            identifier: "es_ES", languages: ["es-ES"], numeric: "es_MX", time: "fr_FR", monetary: "de_AT",
            measurement: "en_US")
        #expect(LocaleRule.reading(of: environment) == expected)
    }

    @Test(arguments: [
        ("de_DE", "de_AT:de:en", ["de-AT", "de", "en"]),
        ("de_DE", ":de::de:", ["de"]),
        ("de_DE", "fr:C:en", ["fr"]),
        ("de_DE", "", ["de-DE"]),
        ("de_DE", "C", ["de-DE"]),
        ("C.UTF-8", "de_AT:de:en", ["en-US-POSIX"]),
    ])
    func languagesAreAListForMessagesOnly(messages: String, list: String, languages: [String]) {
        #expect(LocaleRule.reading(of: ["LANG": messages, "LANGUAGE": list]).languages == languages)
    }

    @Test(arguments: [
        ("x", true), ("", false), ("a/b", false), ("a\tb", false), ("a\u{7F}", false), ("a\0", false),
        (String(repeating: "a", count: 127), true), (String(repeating: "a", count: 128), false),
    ])
    func pathsControlCharactersAndLongValuesAreInvalid(value: String, isValid: Bool) {
        #expect(LocaleRule.isValid(value) == isValid)
    }

    @Test func plasmaSetsFormatsAndLanguages() throws {
        let text = """
            [Formats]
            LANG=ko_KR.UTF-8
            LC_TIME[$i]=de_DE
            LC_NUMERIC=
            LC_PAPER=en_US
            [Translations]
            LANGUAGE=ko:en
            LANG=xx
            """
        let expected = ["LANG": "ko_KR.UTF-8", "LC_TIME": "de_DE", "LANGUAGE": "ko:en"]
        #expect(PlasmaLocale.variables(in: try Keyfile(Array(text.utf8))) == expected)
    }

    // MARK: - Names of locales

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

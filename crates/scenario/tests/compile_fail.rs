//! A definition that does not describe itself does not compile, and the compiler says what is missing.

#[test]
fn definitions_without_description_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
